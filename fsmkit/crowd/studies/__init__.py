"""Running a study: many runs of one crowd with other values, each in one of several processes."""
