// Packages that are published as ES modules only; jest compiles them.
const esModules = [
  '@jupyter',
  '@jupyterlab',
  '@lumino',
  '@microsoft',
  'exenv-es6',
  'lib0',
  'y-protocols',
  'yjs',
  'nanoid',
  '@rjsf',
  'es-toolkit'
];

/** @type {import('jest').Config} */
module.exports = {
  testMatch: ['<rootDir>/tests/labextension/**/*.spec.{ts,tsx}'],
  setupFiles: ['<rootDir>/tests/labextension/setup.ts'],
  testEnvironment: '<rootDir>/tests/labextension/environment.cjs',
  modulePathIgnorePatterns: ['<rootDir>/py_src', '<rootDir>/.venv', '<rootDir>/.build'],
  moduleNameMapper: { '\\.(css|svg)$': '<rootDir>/tests/labextension/picture.cjs' },
  watchPathIgnorePatterns: ['<rootDir>/.venv'],
  transform: {
    '^.+\\.(ts|tsx|js|mjs)$': ['ts-jest', { tsconfig: 'tests/labextension/tsconfig.json' }]
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`]
};
