/** The place in a worker where one suspect at a time may run: a job that two workers have died of. */
export interface Quarantine {
  /**
   * Waits in line for the place.
   *
   * @param signal ends the waiting
   * @returns gives the place back; undefined when the waiting was ended, or the worker stops
   */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>;
  /** Sends away those who wait and those who come: another worker may have its place free. */
  close(): void;
}

/**
 * @param onWaiting called with how many wait whenever that changes: they hold slots of the worker and do nothing
 */
export function createQuarantine(onWaiting: (count: number) => void): Quarantine {
  const line: ((isMine: boolean) => void)[] = [];
  let taken = false;
  let closed = false;

  const leave = () => {
    const next = line.shift();
    if (next) next(true);
    else taken = false;
  };

  function waitInLine(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const enter = (isMine: boolean) => {
        signal.removeEventListener('abort', giveUp);
        onWaiting(line.length);
        resolve(isMine);
      };
      const giveUp = () => {
        line.splice(line.indexOf(enter), 1);
        enter(false);
      };
      line.push(enter);
      signal.addEventListener('abort', giveUp, { once: true });
      onWaiting(line.length);
    });
  }

  return {
    async enter(signal) {
      if (closed || signal.aborted) return undefined;
      if (taken && !(await waitInLine(signal))) return undefined;
      taken = true;
      let left = false;
      return () => {
        if (!left) leave();
        left = true;
      };
    },
    close() {
      closed = true;
      for (let next = line.shift(); next; next = line.shift()) next(false);
    },
  };
}
