/**
 * What a verifier remembers about the text it is called for, so that many anchors in a hostile text stay linear work.
 * The memory is declared beside the verifier; each window holds a state of its own (`window.remembered`), because texts
 * of one masker are masked in turns.
 */
export interface Memory<State> {
  begin(): State;
  /** The first `count` characters of the text were dropped: positions move, and nothing may outlive the text. */
  forget(state: State, count: number): void;
}
