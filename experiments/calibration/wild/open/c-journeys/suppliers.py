"""The three suppliers of journeys. Ends with the process that started it."""
import asyncio
import ctypes
import signal
import sys

ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG

PRICES = {b"air": b"129.90", b"rail": b"84.50", b"coach": b"39.00"}


class Supplier(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.received = b""

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, self.received = self.received.split(b"\r\n\r\n", 1)
            supplier = head.split(b" ", 2)[1].strip(b"/")
            asyncio.get_running_loop().call_later(0.010, self.answer, PRICES.get(supplier, b"0"))

    def answer(self, price):
        if not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(price) + price)


async def main(path):
    server = await asyncio.get_running_loop().create_server(Supplier, "127.0.0.1", 0, backlog=512)
    with open(path, "w") as file:
        file.write(str(server.sockets[0].getsockname()[1]) + "\n")
    await server.serve_forever()


asyncio.run(main(sys.argv[1]))
