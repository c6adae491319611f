import jupyter from '@jupyter/eslint-plugin';
import tseslint from 'typescript-eslint';

const sources = ['labextension/src/**/*.{ts,tsx}'];
const tests = ['tests/labextension/**/*.{ts,tsx}'];

export default tseslint.config(
  {
    ignores: [
      '**/node_modules',
      '.venv*',
      '.build',
      'labextension/lib',
      'py_src',
      'notebooks',
      'docs',
      'dist'
    ]
  },
  { plugins: { jupyter } },
  ...jupyter.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked.map(config => ({ ...config, files: sources })),
  {
    files: sources,
    languageOptions: {
      parserOptions: { project: 'labextension/tsconfig.json', tsconfigRootDir: import.meta.dirname }
    },
    rules: {
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: true }
        }
      ],
      '@typescript-eslint/no-namespace': 'off',
      // A signal's connect binds by its second argument.
      '@typescript-eslint/unbound-method': 'off',
      // The panel is registered when Jupyter starts; there is nothing to load later.
      'jupyter/prefer-lazy-imports': 'off',
      // What an effect returns is called as its cleanup; in Chromium, even scrollIntoView returns a promise.
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression[callee.name=/^use(Layout)?Effect$/] > ArrowFunctionExpression[expression=true]',
          message: 'Write the effect as a block.'
        }
      ],
      curly: ['error', 'all'],
      eqeqeq: 'error'
    }
  },
  ...tseslint.configs.recommended.map(config => ({ ...config, files: tests })),
  {
    // What is drawn for a test is never translated, and its signals end with it.
    files: tests,
    languageOptions: { parserOptions: { jsxPragma: 'h', jsxFragmentName: 'Fragment' } },
    rules: {
      'jupyter/no-untranslated-string': 'off',
      'jupyter/require-signal-cleanup': 'off',
      'jupyter/prefer-signal-this-arg': 'off'
    }
  },
  {
    // Generated from the Python models, which are not called I….
    files: ['labextension/src/protocol/messages.ts'],
    rules: { '@typescript-eslint/naming-convention': 'off' }
  }
);
