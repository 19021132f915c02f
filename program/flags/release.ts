/** The release of the interface that this server speaks. */
export const RELEASE = { major: '1', minor: '25', gitVersion: 'v1.25.16' } as const;
