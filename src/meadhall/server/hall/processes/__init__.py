"""The processes of a hall: leases, scheduled jobs and housekeeping."""
