/**
 * Gives pieces of work that take some tens of milliseconds each a turn of the event loop to itself, so that many that
 * come at once do not hold up all others together.
 *
 * @returns what came of the work, when its turn has come, or what it has thrown
 */
export function oneATurn(): <Result>(work: () => Result) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(nextTurn).then(work);
    // What one has thrown is its own caller's to know.
    last = mine.catch(nothing);
    return mine;
  };
}

const nothing = () => undefined;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
