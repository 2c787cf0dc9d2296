"""Tables shared with other engines: pypaimon and pypaimon-rust read what we write, and we read what they write."""
