/**
 * Runs it in the next turn of the event loop, for what nobody waits for yet. Requests and commands of this turn leave at its
 * end, so that `setImmediate` alone may come before them.
 *
 * @param run must not throw
 */
export function inNextTurn(run: () => void): void {
  setImmediate(setImmediate, run);
}
