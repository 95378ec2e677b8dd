"""Typesets a formula for each line of its input. Its fonts come from the font service of the house, which takes 12 ms."""
import sys
import time
import xml.sax.saxutils

for line in sys.stdin:
    time.sleep(0.012)
    tex = xml.sax.saxutils.escape(line.strip())
    print('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="24"><text y="18">%s</text></svg>' % (9 * len(tex), tex), flush=True)
