// An add-on for Node.js: divide(n) does n divisions, each of which waits for the one before it. That takes longer than
// all else in the loop.
#include <node_api.h>
#include <stdint.h>

__attribute__((noinline, visibility("default"))) uint32_t divide_often(uint32_t n)
{
	uint32_t s = 1;
	for (uint32_t i = 1; i <= n; i++)
		s = (s ^ 0x3fffffff) / ((i & 15) + 3);
	return s;
}

static napi_value divide(napi_env env, napi_callback_info info)
{
	napi_value argument, result;
	size_t n = 1;
	uint32_t times = 0;
	napi_get_cb_info(env, info, &n, &argument, 0, 0);
	napi_get_value_uint32(env, argument, &times);
	napi_create_uint32(env, divide_often(times), &result);
	return result;
}

NAPI_MODULE_INIT()
{
	napi_value function;
	napi_create_function(env, "divide", NAPI_AUTO_LENGTH, divide, 0, &function);
	napi_set_named_property(env, exports, "divide", function);
	return exports;
}
