// Touch gestures for a plot, because uPlot supports only a mouse: two fingers zoom the time axis, one finger moves it while it is
// zoomed, and a double tap shows everything again. Vertical movements still scroll the page.
"use strict";
globalThis.fingers = (plot, zoom) => {
  const { over } = plot;
  const DOUBLE_TAP = 350; // the most milliseconds between the two taps of a double tap
  const LEAST_DISTANCE = 0.02; // between two fingers, as a share of the width; it prevents a division by zero
  let held = []; // the times that were under the fingers when they touched the plot
  let moved = false;
  let tapped = -Infinity;

  // Returns the horizontal positions of the fingers as shares of the width.
  const places = ({ targetTouches }) => {
    const { left, width } = over.getBoundingClientRect();
    return [...targetTouches].slice(0, 2).map(({ clientX }) => (clientX - left) / width).sort((a, b) => a - b);
  };

  // Limits a range to the range of the data.
  const within = (from, span) => {
    const times = plot.data[0];
    const [first, last] = [times[0], times[times.length - 1]];
    const edge = 0.02 * (last - first);
    const width = Math.min(span, last - first + 2 * edge);
    const min = Math.min(Math.max(from, first - edge), last + edge - width);
    return { min, max: min + width };
  };

  const hold = (event) => {
    const { min, max } = plot.scales.x;
    held = places(event).map((place) => min + place * (max - min));
  };

  const drag = (event) => {
    const now = places(event);
    moved = true;
    if (now.length === 0 || now.length !== held.length) return;
    const { min, max } = plot.scales.x;
    const span = now.length === 1 ? max - min : (held[1] - held[0]) / Math.max(now[1] - now[0], LEAST_DISTANCE);
    zoom(within(held[0] - now[0] * span, span));
  };

  const lift = (event) => {
    if (event.targetTouches.length === 0 && !moved) {
      if (event.timeStamp - tapped < DOUBLE_TAP) zoom(null);
      tapped = event.timeStamp;
    }
    hold(event);
  };

  over.style.touchAction = "pan-y";
  over.addEventListener("touchstart", (event) => { moved = false; hold(event); }, { passive: true });
  over.addEventListener("touchmove", drag, { passive: true });
  over.addEventListener("touchend", lift, { passive: true });
};
