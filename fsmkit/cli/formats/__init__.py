"""What `fsmkit check` prints for people, other programs and GitHub; a file for each format."""
