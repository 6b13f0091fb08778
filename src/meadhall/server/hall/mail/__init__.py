"""Mail for people with an account: the server that sends it, what stands in it, and when it is sent."""
