/** Requests that wait for a route of one model, in the order in which they came. */
export interface WaitingLine<Result> {
  readonly length: number;
  /**
   * Waits for its turn. The try at the head is made again when its wait is over, or `wake` is called.
   *
   * @param attempt gives a result, or how long to wait until the next try, ms
   * @param signal ends the wait
   * @param atEnd what it gives then, and takes back what a try has got meanwhile, which comes too late
   * @throws what the try throws
   */
  wait(attempt: () => Promise<Result | number>, signal: AbortSignal, atEnd: AtEnd<Result>): Promise<Result>;
  wake(): void;
}

export interface AtEnd<Result> {
  give(): Result;
  takeBack(result: Result): void;
}

interface Waiting<Result> {
  readonly attempt: () => Promise<Result | number>;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  readonly isOver: () => boolean;
}

/**
 * Only the one at the head asks: however many wait, a place that is not free is asked for once in a while.
 *
 * @param onEmpty called when the last one has left
 */
export function createWaitingLine<Result>(onEmpty: () => void): WaitingLine<Result> {
  const line: Waiting<Result>[] = [];
  let isRunning = false;
  let isWoken = false;
  let timer: NodeJS.Timeout | undefined;
  let goOn: (() => void) | undefined;

  const wake = () => {
    isWoken = true;
    clearTimeout(timer);
    goOn?.();
  };
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      goOn = resolve;
      timer = setTimeout(resolve, ms);
    });
  const run = async () => {
    isRunning = true;
    for (let head = line[0]; head !== undefined; head = line[0]) {
      if (head.isOver()) {
        line.shift();
        continue;
      }
      isWoken = false;
      try {
        const tried = await head.attempt();
        if (typeof tried === 'number') {
          if (!isWoken) await sleep(tried);
          continue;
        }
        head.resolve(tried);
      } catch (error) {
        head.reject(error);
      }
      // One that has left meanwhile is behind its place already.
      if (line[0] === head) line.shift();
    }
    isRunning = false;
    onEmpty();
  };
  return {
    get length() {
      return line.length;
    },
    wait(attempt, signal, atEnd) {
      return new Promise((resolve, reject) => {
        let isOver = false;
        const leave = () => {
          isOver = true;
          resolve(atEnd.give());
          wake();
        };
        const settle = (end: () => void) => {
          signal.removeEventListener('abort', leave);
          isOver = true;
          end();
        };
        line.push({
          attempt,
          resolve: (result) => (isOver ? atEnd.takeBack(result) : settle(() => resolve(result))),
          reject: (error) => settle(() => reject(error)),
          isOver: () => isOver,
        });
        signal.addEventListener('abort', leave, { once: true });
        if (signal.aborted) leave();
        if (!isRunning) void run();
      });
    },
    wake,
  };
}
