"""Renders labels: takes jobs from the list `jobs`, needs 15 ms for each, and puts the result into the list `reply:ID`."""
import asyncio
import sys

RENDERERS = 48
SECONDS = 0.015


def command(*words):
    out = [b"*%d\r\n" % len(words)]
    for word in words:
        out.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(out)


async def answer(reader):
    line = (await reader.readline())[:-2]
    kind, rest = line[:1], line[1:]
    if kind == b"*":
        return None if rest == b"-1" else [await answer(reader) for _ in range(int(rest))]
    if kind == b"$":
        return None if rest == b"-1" else (await reader.readexactly(int(rest) + 2))[:-2]
    return rest


async def renderer(host, port):
    reader, writer = await asyncio.open_connection(host, port)
    while True:
        writer.write(command(b"BRPOP", b"jobs", b"0"))
        job = await answer(reader)
        await asyncio.sleep(SECONDS)
        writer.write(command(b"LPUSH", b"reply:" + job[1], b"LABEL-OK"))
        await answer(reader)


async def main():
    host, port = sys.argv[1], int(sys.argv[2])
    while True:
        try:
            _, writer = await asyncio.open_connection(host, port)
            writer.close()
            break
        except OSError:
            await asyncio.sleep(0.05)
    await asyncio.gather(*(renderer(host, port) for _ in range(RENDERERS)))


asyncio.run(main())
