// The parts of undici that this project loads separately: all of undici takes twice the memory, and most of it is for
// browsers' APIs.
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';

  const value: typeof Pool;
  export default value;
}
declare module 'undici/lib/core/connect.js' {
  import type { buildConnector } from 'undici';

  const value: typeof buildConnector;
  export default value;
}
