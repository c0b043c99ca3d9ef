import { describe, expect, test } from '@jest/globals';
import { createMasker } from './mask.ts';
import { drawn } from './rules/rule.ts';

const { mask } = createMasker();
const uuid = '6f1de2c4-9a51-4a7b-8c61-0f2f9a4b7d11';

describe('what is public by its name or its grammar', () => {
  test.each([
    `WEBPUSH_PUBLIC_KEY=${drawn}${drawn}`,
    `hcaptchaSiteKey: "${drawn}"`,
    'PublicKeyToken=adb9793829ddae60',
    `nextPageToken: "${drawn}${drawn}"`,
    `arn:aws-cn:kms:cn-north-1:${'4'.repeat(12)}:key/${uuid}`,
    `GITLAB_APPLICATION_ID=${uuid}`,
    `password: "argon2id$${drawn}"`,
    `passwd = 'SCRAM-SHA-512$8192:${drawn}=='`,
    '"token": "\\u003cyour token\\u003e"',
    's.ReadUint32LengthPrefixed(&out)',
    '| Shortcut key | Does |\n|---|---|\n| Shift+Alt+F9 | opens2 |\n',
    '| Key | Unit |\n|---|---|\n| idle_timeout_v3 | s |\n',
  ])('stays: %j', (text) => {
    expect(mask(text).text).toBe(text);
  });

  test.each([
    `WEBPUSH_PRIVATE_KEY=${drawn}`,
    `| Key | Owner |\n|---|---|\n| ${drawn} | rina |\n`,
    `GITLAB_APPLICATION_SECRET=${uuid}`,
    `captcha_secret_key: "${drawn}"`,
  ])('goes: %j', (text) => {
    expect(mask(text).text).toContain('***API_KEY***');
  });
});
