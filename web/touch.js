// Fingers on a plot, where uPlot knows a mouse only: two of them stretch the axis of time, one moves it where it is
// stretched, two taps show everything again. Up and down still scrolls the page.
"use strict";
globalThis.fingers = (plot, zoom) => {
  const { over } = plot;
  const TWICE = 350; // milliseconds between two taps that are one gesture
  const CLOSEST = 0.02; // of the width: fingers that touch one another would divide by nothing
  let held = []; // the times under the fingers
  let moved = false;
  let tapped = -Infinity;

  // Where the fingers are, as shares of the width.
  const places = ({ targetTouches }) => {
    const { left, width } = over.getBoundingClientRect();
    return [...targetTouches].slice(0, 2).map(({ clientX }) => (clientX - left) / width).sort((a, b) => a - b);
  };

  // As much of that as there are data.
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
    const span = now.length === 1 ? max - min : (held[1] - held[0]) / Math.max(now[1] - now[0], CLOSEST);
    zoom(within(held[0] - now[0] * span, span));
  };

  const lift = (event) => {
    if (event.targetTouches.length === 0 && !moved) {
      if (event.timeStamp - tapped < TWICE) zoom(null);
      tapped = event.timeStamp;
    }
    hold(event);
  };

  over.style.touchAction = "pan-y";
  over.addEventListener("touchstart", (event) => { moved = false; hold(event); }, { passive: true });
  over.addEventListener("touchmove", drag, { passive: true });
  over.addEventListener("touchend", lift, { passive: true });
};
