/** The folder that `LONTAR_HOME` names cannot be one: it is a file, or nothing can be written there. */
export class UnusableHome extends Error {
  /** @param reason goes on a sentence: "is a file" */
  constructor(folder: string, reason: string) {
    super(`LONTAR_HOME=${folder} ${reason}; set it to a folder that this user may write to.`);
    this.name = 'UnusableHome';
  }
}
