import { CODE, DOT, WORD } from '../characters.ts';
import type { Verify } from '../finding.ts';
import { isPlaceholder } from '../placeholder.ts';
import { drawn, type Rule } from './rule.ts';

/** Verifies at `LoginModule required`: a JAAS entry up to its semicolon. */
const verifyJaas: Verify = (window, start, end) => {
  const from = window.runBefore(start, WORD | DOT, 120);
  let password = false;
  for (let index = end; index < end + 600; index++) {
    const code = window.at(index);
    if (code < 0) return undefined;
    if (code === CODE.p && window.matches(index, 'password='))
      password = !isPlaceholder(window.peek(index + 9, 15).replace(/^\\?["']/, ''));
    if (code === CODE.semicolon) return password ? { start: from, end: index + 1 } : undefined;
  }
  return undefined;
};

/** Verifies at `(DESCRIPTION=`: an Oracle net service descriptor up to its closing bracket. */
const verifyOracleDescriptor: Verify = (window, start) => {
  let depth = 0;
  let host = false;
  for (let index = start; index < start + 1500; index++) {
    const code = window.at(index);
    if (code < 0) return undefined;
    if (code === CODE.openParenthesis) depth++;
    if (code === CODE.h || code === CODE.H)
      host = host || (window.matches(index, 'host') && /^host\s*=\s*[a-z0-9]/i.test(window.peek(index, 24)));
    if (code === CODE.closeParenthesis && --depth === 0) return host ? { start, end: index + 1 } : undefined;
  }
  return undefined;
};

/** Connection strings in blocks with an end of their own. */
export const CONNECTION_BLOCK_RULES: readonly Rule[] = [
  {
    name: 'oracle-descriptor',
    type: 'connection',
    anchors: ['(description=', '(description ='],
    verify: verifyOracleDescriptor,
    source:
      'https://docs.oracle.com/en/database/oracle/oracle-database/23/netrf/local-naming-parameters-in-tns-ora-file.html',
    masks: ['(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=ora.example.com)(PORT=1521)))'],
    keeps: ['(DESCRIPTION=text)'],
  },
  {
    name: 'jaas',
    type: 'connection',
    anchors: ['loginmodule required'],
    verify: verifyJaas,
    source: 'https://kafka.apache.org/documentation/#security_sasl_jaasconfig',
    masks: [`PlainLoginModule required username="kopi" password="${drawn}";`],
    keeps: ['PlainLoginModule required username="kopi";'],
  },
];
