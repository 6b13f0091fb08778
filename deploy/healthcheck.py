"""Ask the hall of this container whether it is ready, at the port or Unix socket of its settings. The exit status is 0 if it is.

It imports nothing of the hall, because it runs every half minute.
"""

import os
import socket
import sys
from http.client import HTTPConnection, HTTPException

TIMEOUT = 4.0

path = os.environ.get("MEADHALL_SOCKET")
host = (os.environ.get("MEADHALL_HOST") or "127.0.0.1").strip("[]")
everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - replaced, not bound
connection = HTTPConnection(everywhere.get(host, host), int(os.environ.get("MEADHALL_PORT") or 8000), timeout=TIMEOUT)
try:
    if path:
        connection.host = "localhost"
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(TIMEOUT)
        connection.sock.connect(path)
    connection.request("GET", "/health/ready")
    answer = connection.getresponse()
    sys.stdout.write(answer.read().decode())  # the engine shows it
except (OSError, HTTPException) as error:
    sys.exit(f"the hall doesn't answer: {error}")
sys.exit(answer.status != 200)
