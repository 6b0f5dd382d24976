"""The pieces that every protocol of models shares: names, ids, arguments, schemas, thoughts and strict JSON."""
