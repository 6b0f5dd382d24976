"""What durability costs: a step, a recovery, waiting people, and a plan a hundred times as long."""
