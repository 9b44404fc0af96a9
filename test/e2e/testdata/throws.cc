// An add-on for Node.js with a function that an exception leaves.
#include <node_api.h>
#include <stdexcept>

extern "C" __attribute__((noinline, visibility("default"))) int throws(int n)
{
	if (n)
		throw std::runtime_error("no return");
	return 0;
}

static napi_value call(napi_env, napi_callback_info)
{
	try {
		throws(1);
	} catch (const std::exception &) {
	}
	return nullptr;
}

NAPI_MODULE_INIT()
{
	napi_value function;
	napi_create_function(env, "throws", NAPI_AUTO_LENGTH, call, nullptr, &function);
	napi_set_named_property(env, exports, "throws", function);
	return exports;
}
