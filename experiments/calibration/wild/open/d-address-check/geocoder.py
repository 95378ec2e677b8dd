"""The geocoding provider's sandbox: 30 ms for an address."""
import asyncio
import sys

DELAY = 0.03
BODY = b'{"latitude":54.3213,"longitude":10.1349,"postcode":"24103","confidence":0.93}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


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
