"""Starts an nginx of one worker process as the target of a bench."""
import os, socket, subprocess, sys, time

CONFIGURATION = """worker_processes 1; daemon off; pid {dir}/pid; error_log {dir}/error.log; worker_rlimit_nofile 20000;
events {{ worker_connections 16384; }}
http {{ access_log off; keepalive_requests 1000000000; client_body_temp_path {dir}; proxy_temp_path {dir};
fastcgi_temp_path {dir}; uwsgi_temp_path {dir}; scgi_temp_path {dir};
server {{ listen 127.0.0.1:{port} backlog=4096{listen}; {server} }} }}
"""


def start(folder, port, server, listen=""):
    """Starts it with its files in a folder. `server` are the directives of its one server, and `listen` is added to its `listen`."""
    conf = os.path.join(folder, "nginx.conf")
    with open(conf, "w") as file:
        file.write(CONFIGURATION.format(dir=folder, port=port, server=server, listen=listen))
    return opened(subprocess.Popen(["nginx", "-p", folder, "-c", conf, "-e", f"{folder}/error.log"]), port)


def opened(server, port):
    """Waits until a server that was started takes connections, and returns it."""
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return server
        except OSError:
            time.sleep(0.02)
    sys.exit("the target did not come up")
