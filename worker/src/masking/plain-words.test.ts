import { describe, expect, test } from '@jest/globals';
import { isCommonWord } from './common-words.ts';
import { createMasker } from './mask.ts';
import { isLabel, isUncommonWords } from './plain-words.ts';

const { mask } = createMasker();
/** Where the password goes. */
const LAST = /@(?!toko)/;

describe('passwords that are plain words', () => {
  test.each([
    ['a label of Markdown', '- **Username:** deploy\n- **Password:** @\n', 'pisangmolen'],
    ['JSON', '{ "username": "rina", "password": "@" }', 'kopi tubruk manis'],
    ['words that anybody knows, beside a user', '{ "username": "rina", "password": "@" }', 'umbrella stand'],
    ['an option of mount', 'sudo mount -t cifs //nas/x /mnt -o username=rina,password=@,vers=3.0', 'terongbalado'],
    ['NetworkManager', 'nmcli dev wifi connect "Kantor" password @\n', 'sepedagunung'],
    ['netrc on one line', 'machine toko login budi password @\n', 'serabinotosuman'],
    ['a sentence in which somebody signs in', 'Log in as admin with the password @.', 'bluewhale'],
    ['a login in short', 'Log in with operator and @.', 'bluewhale'],
    ['what German says', 'Das Passwort für das WLAN lautet @.', 'Zwetschgendatschi'],
    ['what Spanish says', 'La contraseña del router es @ y el usuario es admin.', 'elefanteazul'],
    ['what Indonesian says', 'Kata sandi Wi-Fi kantor sekarang @, jangan dibagikan.', 'rujakcingur'],
    ['what Chinese says', '密码是@，请不要告诉别人。', 'xiaolongbao'],
    ['Cyrillic', 'Логин: ivan\nПароль: @\n', 'медвежонок'],
    ['a call with a user', 'box.login("budi", "@")', 'lemangtapai'],
    ['a chain of calls', 'opts.username("ferris").password("@")', 'crab walks sideways'],
    ['a cell', '| user | password |\n|---|---|\n| budi | @ |\n', 'karung beras'],
    ['an element', '<username>ci</username><password>@</password>', 'soesmerdeka'],
    ['an answer to a prompt', 'child.expect("Password:")\nchild.sendline("@")', 'scott&tiger&co'],
    ['what a setting holds beside a user', 'spring.mail.username=noreply\nspring.mail.password=@\n', 'carrierPigeon'],
    ["Docker's instruction", 'ENV MYSQL_ROOT_PASSWORD @\n', 'sotobetawi'],
    ['a login with a digit in its word', 'Log in with admin and @, then open it.', ['Sup3r', 'Geheim'].join('')],
    ['what Indonesian says without a verb', 'Kata sandinya @ ya, jangan lupa diganti.', 'rujakcingur'],
    ['words with capitals at a place', 'net user budi @ /add', 'PecelLele'],
    ["Clojure's keyword", '{:user "reader" :password "@"}', 'parens-everywhere'],
    ['what was changed', 'The password changed "sotobanjar" -> "@"', 'baba ganoush'],
    ['a key of WordPress', "define('AUTH_KEY', '@');", ['x)Yq|7 w?R~b', '[2Zc*0mV-4h<+pL9e^o;T'].join('')],
    ['a code that is typed', "await user.type('#pin', '@');", '480217'],
    ['a here-string', "cryptsetup open /dev/sdb1 data <<< '@'", 'bandengpresto'],
    ['a line of Postfix', '[smtp.toko]:587 budi@toko:@\n', 'baksotahu'],
    ['a code for a network', 'WIFI:S:Sawah;T:WPA;P:@;;', 'sourdough starter'],
    ['a noun that touches it', '你的密码@已经泄露', 'xiaolongbao'],
    ['what a command prints', '$ vault kv get -field=password secret/forum\n@\n', 'talkative parrot'],
  ])('%s: masked', (_place, text, password) => {
    expect(mask(text.replace(LAST, password)).text).toContain('***API_KEY***');
    expect(mask(text.replace(LAST, password)).text).not.toContain(password);
  });

  test.each([
    "const form = { username: 'username', password: 'newPassword' };",
    '{ "nl": { "username": "gebruikersnaam", "password": "wachtwoord" } }',
    '{ "de": { "password": "Passwort" }, "fr": { "password": "mot de passe" } }',
    '{ "columns": { "username": "varchar", "password": "varchar" } }',
    "const icons = { user: 'account', password: 'padlock' };",
    'DB_PASSWORD = "localhost"',
    'Use `mkpasswd --method=sha-512` to hash the password.',
    'The password is mandatory.',
    'La contraseña es obligatoria.',
    'Das Passwort ist abgelaufen.',
    'Reset your password to continue.',
    'Log in with your username and password.',
    'connect(user=user, password=secretvalue)',
    'Password: see the vault\n',
    'ENV DB_PASSWORD $DB_PASSWORD\n',
    'Kata sandinya salah, silakan coba lagi.',
    'log in with admin and OAuth2.',
    'password save incorrectly set in gtkmountoperation',
    '{ "ro": { "username": "Utilizator", "password": "Parolă" } }',
    "useState({ user: 'shown', password: 'concealed' })",
    'password = "unspecified"',
    'user_password = hashpw\n',
    '- **Password:** Argon2id\n',
    'The password is base64-encoded, not encrypted.',
    'Sign in with passkeys and biometrics.',
    '| Method | Password | Token |\n|---|---|---|\n| Secure | moderately | strongly |\n',
    '| Conta | Senha | Validade |\n|---|---|---|\n',
    "'prop', 'pwd', 'quickcheck', 'refute'",
    'Move the argon2 password module from slapd-contrib to slapd.',
    'set to check the password. Use certtool -k',
  ])('%j stays', (text) => {
    expect(mask(text).text).toBe(text);
  });

  test('words of programs and of their translations are common, names of dishes are not', () => {
    expect(
      ['password', 'required', 'benutzer', 'obligatoire', 'karakter'].filter((word) => !isCommonWord(word)),
    ).toEqual([]);
    expect(['sotobanjar', 'pisanggoreng', 'bluewhale'].filter((word) => isCommonWord(word))).toEqual([]);
  });

  test('a label is made of common words', () => {
    expect(['newPassword', 'localhost', 'Passwort'].every((word) => isLabel(word))).toBe(true);
    expect(isUncommonWords('the password')).toBe(false);
  });
});
