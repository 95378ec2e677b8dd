"""The portal's sources on a developer's machine: news, weather and the directory. It prints its port, and ends when its standard input does."""
import asyncio
import os
import sys

SOURCES = {
    b"news": (0.018, b'["The canteen is closed on Friday","New bicycles"]'),
    b"weather": (0.021, b'{"sky":"rain","degrees":11}'),
    b"directory": (0.017, b'{"name":"Hansen","room":"B 2.14","phone":"1477"}'),
}


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            seconds, body = SOURCES[head.split(b" ", 2)[1].split(b"/")[1]]
            await asyncio.sleep(seconds)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
