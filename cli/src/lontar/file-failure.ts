import { dirname } from 'node:path';
import { CommandFailure, EXIT, type ExitCode } from '../failure/failure.ts';

/** What was tried with a file. */
type Tried = 'written' | 'read';

/**
 * Puts into the operator's words what the system says of a file.
 *
 * @param path the file that the operator gave; the system may know it under another name
 * @param consequence what it means for the command, a sentence
 * @returns a CommandFailure, or the error itself where it is not of a file
 */
export function explainFileError(error: unknown, tried: Tried, path: string, consequence = ''): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  const [exitCode, reason] = reasonOf(code, tried, dirname(path));
  return new CommandFailure(exitCode, `${path} cannot be ${tried}: ${reason}.${consequence && ` ${consequence}`}`);
}

function reasonOf(code: string, tried: Tried, folder: string): [ExitCode, string] {
  switch (code) {
    case 'ENOENT':
      if (tried === 'read') return [EXIT.notFound, 'there is no such file'];
      return [EXIT.notFound, `there is no folder ${folder}. Make it, or choose another place`];
    case 'ENOTDIR':
      return [EXIT.notFound, `${folder} is no folder. Choose another place`];
    case 'EISDIR':
      return [EXIT.failed, 'it is a folder. Name a file'];
    case 'EACCES':
    case 'EPERM':
      return [
        EXIT.failed,
        `the user of this command is not allowed to. Give it the right, to the folder ${folder} too`,
      ];
    case 'EROFS':
      return [EXIT.failed, 'its file system is read-only. Choose another place'];
    case 'ENOSPC':
    case 'EDQUOT':
      return [EXIT.failed, 'the disk is full, or its quota used up. Make room, or choose another place'];
    case 'ENAMETOOLONG':
      return [EXIT.failed, 'its name is too long. Choose a shorter one'];
    default:
      return [EXIT.failed, `the system says ${code}`];
  }
}
