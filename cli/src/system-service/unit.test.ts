import { describe, expect, test } from '@jest/globals';
import { type UnitInput, unitText } from './unit.ts';

const INPUT: UnitInput = {
  scope: 'system',
  command: ['/opt/lon tar/.lontar/lontar', 'start'],
  folder: '/opt/lon tar',
  home: '/opt/lon tar/.lontar',
  user: 'lontar',
  memoryMax: '2G',
  stopSeconds: 60,
  searchPath: '/usr/bin:/bin',
};

describe('unitText', () => {
  test.each(['system', 'user'] as const)('of the %s may write to its home alone, and gain no rights', (scope) => {
    const lines = unitText({ ...INPUT, scope }).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'NoNewPrivileges=yes',
        'ProtectSystem=strict',
        'ReadWritePaths="/opt/lon tar/.lontar"',
        'MemoryMax=2G',
        'WatchdogSec=60',
        'Type=notify',
      ]),
    );
  });

  test('names the user of a service of the machine, and lets that of a user keep what only root can give away', () => {
    expect(unitText(INPUT)).toMatch(/^User=lontar$/m);
    expect(unitText(INPUT)).toMatch(/^CapabilityBoundingSet=$/m);
    const { user: _user, ...own } = INPUT;
    expect(unitText({ ...own, scope: 'user' })).not.toMatch(/^(?:User|CapabilityBoundingSet|PrivateDevices)=/m);
  });

  test('keeps what systemd would read in names of files', () => {
    const unit = unitText({ ...INPUT, command: ['/o/$HOME/"50%"\\x'], folder: '/o/50%', givenHome: '/o/50%' });
    expect(unit).toContain('ExecStart="/o/$$HOME/\\"50%%\\"\\\\x"\n');
    expect(unit).toContain('WorkingDirectory=/o/50%%\n');
    expect(unit).toContain('Environment="LONTAR_HOME=/o/50%%"\n');
  });
});
