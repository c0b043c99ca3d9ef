import { describe, expect, test } from '@jest/globals';
import { CommandFailure, EXIT } from '../failure/failure.ts';
import { explainFileError } from './file-failure.ts';

describe('explainFileError', () => {
  test.each([
    ['written', 'ENOENT', EXIT.notFound, 'there is no folder /backups. Make it'],
    ['written', 'ENOTDIR', EXIT.notFound, '/backups is no folder'],
    ['written', 'EACCES', EXIT.failed, 'not allowed'],
    ['written', 'EPERM', EXIT.failed, 'not allowed'],
    ['written', 'EROFS', EXIT.failed, 'read-only'],
    ['written', 'ENOSPC', EXIT.failed, 'full'],
    ['written', 'EDQUOT', EXIT.failed, 'full'],
    ['written', 'ENAMETOOLONG', EXIT.failed, 'too long'],
    ['written', 'EISDIR', EXIT.failed, 'it is a folder'],
    ['written', 'EIO', EXIT.failed, 'EIO'],
    ['read', 'ENOENT', EXIT.notFound, 'there is no such file'],
    ['read', 'EACCES', EXIT.failed, 'not allowed'],
    ['read', 'EIO', EXIT.failed, 'EIO'],
  ] as const)('a file that cannot be %s because of %s: exit code %d, %s', (does, code, exitCode, reason) => {
    const failure = explainFileError(fileError(code), does, '/backups/a');
    expect(failure).toBeInstanceOf(CommandFailure);
    expect(failure).toMatchObject({ exitCode, message: expect.stringContaining(reason) });
    expect(failure).toMatchObject({ message: expect.stringMatching(new RegExp(`^/backups/a cannot be ${does}: `)) });
  });

  test.each([new Error('Connection is closed.'), new CommandFailure(EXIT.failed, 'x'), 'words'])(
    'leaves %s as it is',
    (error) => {
      expect(explainFileError(error, 'read', '/backups/a')).toBe(error);
    },
  );
});

function fileError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: words of the system, open '/backups/a.partial'`), { code, syscall: 'open' });
}
