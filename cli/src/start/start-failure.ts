/** `npm start` cannot go on; the message tells the operator what to do. */
export class StartFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartFailure';
  }
}
