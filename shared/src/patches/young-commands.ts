import { Command } from 'ioredis';

/** What ioredis's commands have that its types do not show. */
interface Begun {
  readonly name: string;
  readonly callback?: unknown;
  readonly errorStack?: unknown;
  args: unknown[];
  transformed: boolean;
  isResolved: boolean;
  isSettled: boolean;
  promise: Promise<unknown>;
  resolve(value: unknown): unknown;
  reject(error: unknown): void;
  initPromise(): void;
  stringifyArguments(): void;
  _clearTimers(): void;
  _convertValue(resolve: (value: unknown) => void): Begun['resolve'];
}

interface Transformers {
  readonly _transformer: { readonly argument: Readonly<Record<string, ((args: unknown[]) => unknown[]) | undefined>> };
}

let isPatched = false;

/**
 * Lets what a command leaves behind be collected with the young generation. V8 takes a function literal that is assigned to a
 * property (`this.reject = (error) => …`) for one that lives long, and puts it into the old generation at once; there it keeps all
 * that it refers to, the command with its arguments and its reply, until a full collection.
 *
 * Replaces `initPromise` of ioredis's commands by the same without such an assignment: checked with ioredis 6.0.0 and Node
 * 24.21.0. young-commands.int.test.ts fails where commands outlive a collection of the young generation, or begin another way.
 */
export function letCommandsDieYoung(): void {
  if (isPatched) return;
  isPatched = true;
  const begun = Command.prototype as unknown as Begun;
  const { argument } = (Command as unknown as Transformers)._transformer;
  const { initPromise } = begun;
  begun.initPromise = initPromiseYoung;

  function initPromiseYoung(this: Begun): void {
    // Two ways of use that are none of ours.
    if (this.callback !== undefined || this.errorStack !== undefined) return initPromise.call(this);
    this.isResolved = false;
    this.isSettled = false;
    const { promise, resolve, reject } = Promise.withResolvers();
    try {
      if (!this.transformed) {
        this.transformed = true;
        const transform = argument[this.name];
        if (transform) this.args = transform(this.args);
        this.stringifyArguments();
      }
    } catch (error) {
      reject(error);
    }
    this.resolve = this._convertValue(resolve);
    this.reject = rejectionOf(this, reject);
    this.promise = promise;
  }
}

/** A function that is returned is young. */
function rejectionOf(command: Begun, reject: (error: unknown) => void): Begun['reject'] {
  return (error) => {
    command._clearTimers();
    command.isSettled = true;
    reject(error);
  };
}
