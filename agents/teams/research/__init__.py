"""The team that answers questions from documents, with the id of each passage it rests on."""
