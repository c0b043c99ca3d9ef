import { describe, expect, test } from '@jest/globals';
import { isCommonWord } from './common-words.ts';
import { createMasker } from './mask.ts';
import { isLabel, isUncommonWords } from './plain-words.ts';

const { mask } = createMasker();

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
    ['what a command prints', '$ vault kv get -field=password secret/forum\n@\n', 'talkative parrot'],
  ])('%s: masked', (_place, text, password) => {
    expect(mask(text.replace('@', password)).text).toBe(text.replace('@', '***API_KEY***'));
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
