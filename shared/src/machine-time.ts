declare const byMachine: unique symbol;

/** A moment by this machine's own clock, Unix ms: for files of this machine, and for what compares with `Date.now()`. */
export type MachineTime = number & { readonly [byMachine]: true };

/** The only place where a service asks this machine for the time; deadlines, waits and windows go by `RedisClock`. */
export function machineNow(): MachineTime {
  return Date.now() as MachineTime;
}
