/** Jobs in work that only wait hold places of the worker and do nothing: as many more are taken. */
export interface IdlePlaces {
  noteInQuarantine(count: number): void;
  noteWaitingForRoutes(count: number): void;
}

/**
 * @param most more jobs than these are not taken for those that wait for routes: they hold memory
 * @param allowMore called with how many more jobs may be in work
 */
export function createIdlePlaces(most: number, allowMore: (count: number) => void): IdlePlaces {
  let inQuarantine = 0;
  let waitingForRoutes = 0;
  let allowed = 0;
  const tell = () => {
    const count = inQuarantine + Math.min(waitingForRoutes, most);
    if (count !== allowed) allowMore(count);
    allowed = count;
  };
  return {
    noteInQuarantine(count) {
      inQuarantine = count;
      tell();
    },
    noteWaitingForRoutes(count) {
      waitingForRoutes = count;
      tell();
    },
  };
}
