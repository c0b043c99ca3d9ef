import { type Anchor, type Label, MARKERS, type Verify } from '../finding.ts';

/** Our own markers are stepped over whole, so that nothing inside or around them is read differently the second time. */
function verifyMarker(marker: string): Verify {
  return (window, start) =>
    window.peek(start, marker.length) === marker ? { start, end: start + marker.length } : undefined;
}

const MARKER: Label = { name: 'marker', type: 'marker', source: '' };

export const MARKER_ANCHORS: readonly Anchor[] = Object.values(MARKERS).map((marker) => ({
  text: marker.slice(0, 4).toLowerCase(),
  verify: verifyMarker(marker),
  rule: MARKER,
}));
