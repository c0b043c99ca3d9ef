/** No primary could be found. The message is a sentence for operators, without passwords. */
export class NoPrimaryError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoPrimaryError';
  }
}
