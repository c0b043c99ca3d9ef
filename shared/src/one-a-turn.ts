/**
 * Gives pieces of work that take some tens of milliseconds each a turn of the event loop to itself, so that many that
 * come at once do not hold up all others together.
 *
 * @returns what came of the work, when its turn has come; it must not throw
 */
export function oneATurn(): <Result>(work: () => Result) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(nextTurn).then(work);
    last = mine;
    return mine;
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
