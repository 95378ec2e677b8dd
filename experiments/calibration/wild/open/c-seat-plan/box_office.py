"""The box office: reserves a seat and answers when the ticket printer has acknowledged."""
import asyncio
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 8\r\n\r\nreserved"


class BoxOffice(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.received = b""

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            _, self.received = self.received.split(b"\r\n\r\n", 1)
            asyncio.get_running_loop().call_later(0.012, self.answer)

    def answer(self):
        if not self.transport.is_closing():
            self.transport.write(ANSWER)


async def main(host, port):
    server = await asyncio.get_running_loop().create_server(BoxOffice, host, int(port), backlog=512)
    async with server:
        await server.serve_forever()


asyncio.run(main(sys.argv[1], sys.argv[2]))
