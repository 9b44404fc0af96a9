'use strict';

// Prints how the package publishes contexts where another writer has records behind a second object.
// node wrapped.js PACKAGE PUBLISH: an add-on with publish(payload)

const { encode } = require('../../programs/published/process_context');
const { publish } = require(process.argv[3]);

publish(encode({}, { 'threadlocal.schema_version': 'nodejs_v1_dev', 'threadlocal.native_wrap_fields_offset': 0 }));
console.log(require(process.argv[2]).form);
