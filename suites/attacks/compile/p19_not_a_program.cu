// P-19: is prose, not a program
Here is the improved kernel you asked for.
