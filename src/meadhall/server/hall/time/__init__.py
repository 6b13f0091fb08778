"""Time at a table: clocks, deadlines, absences and reminders."""
