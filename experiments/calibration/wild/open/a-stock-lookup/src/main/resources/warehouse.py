"""The warehouse system on a developer's machine. Its database is asked by WORKERS at a time, 5 ms each. It prints its port, and ends when its standard
input does."""
import asyncio
import os
import sys

WORKERS = int(sys.argv[1])
SECONDS = 0.005
BODY = b'{"shelf":"C-17","pieces":240}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


async def serve(reader, writer, database):
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            async with database:
                await asyncio.sleep(SECONDS)
            writer.write(ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    database = asyncio.Semaphore(WORKERS)
    server = await asyncio.start_server(lambda reader, writer: serve(reader, writer, database), "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
