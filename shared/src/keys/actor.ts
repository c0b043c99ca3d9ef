/** Whose change it is. Goes into the script that makes the change. */
export interface Actor {
  /** An operator's command, an admin token, a session of the dashboard, or a part of Lontar itself. */
  readonly by: 'cli' | 'token' | 'session' | 'service';
  /** Which of them: a system user, the public id of a token or session, a part's name. */
  readonly id: string;
  /** What a token is called. */
  readonly name?: string;
  /** Address that it came from; the machine of an operator's command. */
  readonly from?: string;
}
