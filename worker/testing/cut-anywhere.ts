/**
 * Cuts bytes into pieces as a network may, in the midst of characters and lines.
 *
 * @param random uniform in [0, 1)
 */
export function cutAnywhere(random: () => number): (bytes: Buffer) => Buffer[] {
  const most = 1 + Math.floor(random() * 40);
  return (bytes) => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const next = at + 1 + Math.floor(random() * most);
      pieces.push(bytes.subarray(at, next));
      at = next;
    }
    return pieces;
  };
}
