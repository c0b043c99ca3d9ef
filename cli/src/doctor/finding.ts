/** What one check found. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  /** What was found, and for anything but `ok` what to do. */
  readonly detail: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail };
}

export function warning(check: string, detail: string): Finding {
  return { check, status: 'warning', detail };
}

export function failed(check: string, detail: string): Finding {
  return { check, status: 'failed', detail };
}
