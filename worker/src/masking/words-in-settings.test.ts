import { describe, expect, test } from '@jest/globals';
import { createMasker } from './mask.ts';
import { isSureWords } from './sure-words.ts';

const { mask } = createMasker();
const RANDOM = ['Xk9', 'mPq2vL', '!3h'].join('-');

describe('words as passwords, where a program is given them', () => {
  test.each([
    ['a call of Basic without brackets', 'conn.Open "DSN=Stock", "clerk", "@"', 'velvet anchor'],
    ["a sheet's protection", 'Worksheets("Rates").Unprotect "@"', 'lanternfish'],
    ['a named argument of Basic', 'ActiveSheet.Protect Password:="@"', 'Quarterly'],
    ['a connection of three literals', 'lua = env:connect("toko", "rina", "@")', 'velvet anchor'],
    ['a client behind a port', 'using var s = new SftpClient("nas", 22, "rina", "@");', 'three green doors'],
    ['a directory', 'err := conn.Bind("cn=rina,dc=toko", "@")', 'lanternfish'],
    ["Ruby's statement", "request.basic_auth 'rina', '@'", 'velvet anchor'],
    ['a login that is encoded', "'Basic ' + btoa('rina:@')", 'velvet anchor'],
    [
      'the data of a test',
      '[InlineData("rina", "@")]\npublic void SignsIn(string user, string password) { }',
      'oil can',
    ],
    ['columns of a test', '@pytest.mark.parametrize("user,password", [("budi", "@")])', 'moth in relay'],
    ['a keychain', 'kSecValueData as String: "@".data(using: .utf8)!', 'Mondscheinsonate'],
    ['what is taken without a variable', 'let pw = env::var("DB_PASSWORD").unwrap_or_else(|_| "@".into());', 'pumpkin'],
    ['a default of the environment', 'os.environ.get("DB_PASSWORD", "@")', 'three green doors'],
    ['a default behind a sign', "const pw = process.env.DB_PASSWORD ?? '@'", 'pumpkin'],
    ['a property', 'props.setProperty("mail.smtp.password", "@");', 'velvet anchor'],
    ['what a service is called by', 'storePassword = "@"', 'pumpkin'],
    ['a constant', 'MAIL_HOST=mail\nMAIL_PASSWORD=@\n', 'pigeon post'],
    ['a setting below its section', 'stringData:\n  password: @\n', 'oil can'],
    ['a setting beside another', 'host: localhost\n  password: "@"\n', 'three green doors'],
    ['an option of a command', 'helm install x ./c --set auth.password=@\n', 'pumpkin'],
    ['a form', "curl -F 'password=@' http://toko/", 'velvet anchor'],
    ['an element', '<property name="hibernate.connection.password">@</property>', 'velvet anchor'],
    ['a secret of words', 'client ap {\n  secret = @\n}\n', 'radius of a circle'],
    ['a secret of an option', './sync --user rina --secret @ --dry-run', 'lanternfish'],
    ['a record of a log', 'level=info secret="@" user=rina', 'tin can telephone'],
    ['JSON behind a word of logins', '{"msg":"login","user":"rina","password":"@"}', 'Mondscheinsonate'],
    ['JSON in a string', '"{\\"user\\":\\"rina\\",\\"password\\":\\"@\\"}"', 'Mondscheinsonate'],
    ['words that capitals part', '\tAddr: "localhost:6379",\n\tPassword: "@", // first boot\n', 'quietHarbor'],
    ['letters outside ASCII', '[banco]\nsifre=@\n', 'çaydanlık'],
    ["a router's statement", 'local-user rina password irreversible-cipher @', 'lanternfish'],
    ['a keyed server', 'auth_type PASS\nauth_pass @', 'lanternfish'],
    ['a command', 'grafana-cli admin reset-admin-password @', 'lanternfish'],
    ['a data source', 'mysqld_exporter --dsn rina:@@(localhost:3306)/', 'lanternfish'],
    ["a shell's instruction", 'setenv DB_PASSWORD @', 'lanternfish'],
  ])('%s: masked', (_place, text, password) => {
    const whole = text.includes('@@') ? text.replace('@', password) : text.replace(/@(?!pytest)/, password);
    const masked = mask(whole).text;
    expect(masked).not.toContain(password);
    expect(masked).toContain('***');
    expect(mask(masked).text).toBe(masked);
  });

  test.each([
    ['what MySQL says', '[Note] A temporary password is generated for root@localhost: @\n', 'pt;Zq!3hWk<e'],
    ['what is shown once', 'Client secret (shown only once): @\n', 'a4Wq8ZrT2mLx0PvB7nKc5HdY'],
    ['what is used to go on', 'Please use the following password to proceed to installation:\n\n@\n', 'h7Rw2nXzQ4tK'],
    ['what was reset', 'Password for the [elastic] user successfully reset.\nNew value: @\n', 'h7Rw2nXzQ4-kM'],
  ])('%s: masked', (_place, text, secret) => {
    expect(mask(text.replace(/@(?!localhost)/, secret)).text).not.toContain(secret);
  });

  test.each([
    'label.put("password", "Passwort");',
    'errors.put("password", "too short");',
    "const LABELS = { host: 'Host', password: 'Velvet password' };",
    'CHANGE_PASSWORD = "change"',
    'CONFIRM_PASSWORD: "Confirm it"',
    'password = config.lookup\n',
    '[mail]\npassword = ${MAIL_PASSWORD}\n',
    'environment:\n  DB_PASSWORD: required\n',
    'DB_PASSWORD=$(cat /run/secrets/db)\n',
    'graph.connect("a", "b", weight)',
    'router.protect "admin"',
    'emitter.connect("open", "close", "error")',
    '[InlineData("rina", "lanternfish")]\npublic void Sorts(string first, string second) { }',
    'fields = ("user", "password"), ("Benutzer", "Passwort")',
    'btoa("text/plain:utf-8")',
    'secret: my-tls-secret\n',
    'secret = keyring\n',
    './sync --secret-file lanternfish',
    'The password is set to: something that nobody knows.',
    'os.environ.get("DB_PASSWORD", "")',
    'process.env.DB_PASSWORD || "password"',
    '<string name="password">Mot de passe</string>',
    'Reset your password to proceed: it takes a minute.',
    'clang -O2 -Rpass=inline -Rpass-missed=loop-vectorize a.c',
    'opt -debug-pass=Executions a.bc',
  ])('%j stays', (text) => {
    expect(mask(text).text).toBe(text);
  });

  test('a name of code, a label and a default are no sure words', () => {
    expect(['newPassword', 'tooShort', 'your password', 'changeme', 'must not be empty'].filter(isSureWords)).toEqual(
      [],
    );
    expect(['oil can', 'ink-and-quill', 'quietHarbor', 'three green doors', RANDOM].filter(isSureWords)).toHaveLength(
      4,
    );
  });
});
