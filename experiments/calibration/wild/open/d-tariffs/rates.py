"""The tariff book of head office: 20 ms for a rate."""
import asyncio
import sys

DELAY = 0.02
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n145"


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            for line in head.split(b"\r\n"):
                if line.lower().startswith(b"content-length:"):
                    await reader.readexactly(int(line.split(b":")[1]))
            await asyncio.sleep(DELAY)
            writer.write(ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, sys.argv[1], int(sys.argv[2]), backlog=512)
    async with server:
        await server.serve_forever()


asyncio.run(main())
