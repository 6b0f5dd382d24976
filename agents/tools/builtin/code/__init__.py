"""Python in a sandbox, for what no other tool computes, and pictures drawn by it."""
