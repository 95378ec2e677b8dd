#!/usr/bin/env python3
"""The stock system, which answers how many there are of an article after 60 ms. Prints its port; ends when its input does."""
import asyncio
import os
import sys
import threading


class Stock(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.received = b""

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, self.received = self.received.split(b"\r\n\r\n", 1)
            article = head.split(b" ", 2)[1].rsplit(b"/", 1)[-1]
            asyncio.get_running_loop().call_later(0.06, self.answer, article)

    def answer(self, article):
        body = b'{"article":"%s","count":%d}' % (article, sum(article))
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


async def main():
    server = await asyncio.get_running_loop().create_server(Stock, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    threading.Thread(target=end_with_input, daemon=True).start()
    await server.serve_forever()


asyncio.run(main())
