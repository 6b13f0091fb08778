"""What can be asked of the hall: pages for people, an API for programs, and what an operator looks at."""
